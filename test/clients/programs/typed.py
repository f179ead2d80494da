"""Is checked by mypy and never run: a wrong field has a comment, which mypy refuses where it is not wrong."""

from collections.abc import AsyncIterator

from guias_de_envio import ClienteDeGuias, ClienteDeGuiasAsync, Guia, GuiaCreada, SolicitudDeGuias

guide: Guia = {
    "Remitente": {"Nombre": "Ana"},
    "Destinatario": {"Nombre": "Luis", "CodigoPostal": "64000", "RFC": None},
    "Producto": {"Contenido": "Libros", "Peso": 2.5},
    "Creado_por": {},
}
request: SolicitudDeGuias = {"TipoServicio": "Domicilio", "Guia": [guide]}
wrong: SolicitudDeGuias = {"TipoServicio": "Domicilo", "Guia": []}  # type: ignore[typeddict-item]
misspelt: Guia = {**guide, "Referenca": "1"}  # type: ignore[typeddict-unknown-key]


def numbers(client: ClienteDeGuias) -> list[str]:
    client.recorrer_guias(estatus="Perdido")  # type: ignore[arg-type]
    label: bytes = client.obtener_etiqueta_10x15("390458235877", formato="zpl", dpi=203)
    return [label.decode(), *[one["SEND_GUIA"] for one in client.crear_guias(request)["data"]]]


async def listed(client: ClienteDeGuiasAsync) -> AsyncIterator[GuiaCreada]:
    async for guide in client.recorrer_guias(limite=3):
        yield guide
