from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

import httpx

from .generado import AuthenticatedClient
from .generado.models import (
    CobroDeLista,
    Devolucion,
    EventoDeCuenta,
    GuiaCreada,
    Liquidacion,
    Manifiesto,
    MovimientoLiquidado,
    Recoleccion,
    RespuestaCobros,
    RespuestaCotizacionDeUnaDevolucion,
    RespuestaCotizaciones,
    RespuestaDevolucionCreada,
    RespuestaDevoluciones,
    RespuestaDisponibilidad,
    RespuestaEnlaceCreado,
    RespuestaEnlaceTerminado,
    RespuestaEventos,
    RespuestaEventosDeGuia,
    RespuestaEvidenciaDeGuia,
    RespuestaGuia,
    RespuestaGuiaCancelada,
    RespuestaGuias,
    RespuestaGuiasCreadas,
    RespuestaGuiasValidas,
    RespuestaLiquidacionEncontrada,
    RespuestaLiquidaciones,
    RespuestaManifiestoCreado,
    RespuestaManifiestos,
    RespuestaRecoleccion,
    RespuestaRecoleccionCancelada,
    RespuestaRecoleccionPedida,
    RespuestaRecolecciones,
    SolicitudDeCotizacionDeDevolucion,
    SolicitudDeCotizaciones,
    SolicitudDeDevolucion,
    SolicitudDeEtiquetas,
    SolicitudDeGuias,
    SolicitudDeManifiesto,
    SolicitudDeRecoleccion,
)
from .reintentos import ConReintentos

Campos = Mapping[str, Any]
Tipo = Literal["carta", "pequena", "10x15"]
Formato = Literal["pdf", "png", "zpl"]

RUTA_DE_ETIQUETA: dict[Tipo, str] = {"carta": "etiqueta", "pequena": "etiqueta-pequena", "10x15": "etiqueta-10x15"}


@dataclass(frozen=True)
class Pagina:
    """Eventos, y el cursor con el que se sigue tras ellos."""

    data: list[EventoDeCuenta]
    siguiente: str


class ClienteDeGuias:
    """
    El servicio de guías, como lo ve quien tiene una llave. Cada método se llama como su operación en `/api/docs/operaciones`,
    y da el cuerpo de la respuesta. Todos repiten lo que falla de paso, y lanzan `ErrorDeGuias`.

    Una solicitud es un dict como en la guía, o su modelo de `guias_de_envio.generado.models`.
    """

    api: AuthenticatedClient
    """Para las funciones de `guias_de_envio.generado.api`: todas las operaciones, con los mismos reintentos y errores."""

    def __init__(self, url: str, llave: str, *, plazo: float = 120) -> None:
        """`plazo` son los segundos que tarda lo más una llamada, con sus repeticiones."""
        headers = {"Authorization": f"Bearer {llave}"}
        self._http = httpx.Client(base_url=url, headers=headers, transport=ConReintentos(plazo))
        self.api = AuthenticatedClient(url, token=llave).set_httpx_client(self._http)

    def __enter__(self) -> ClienteDeGuias:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def cotizar_guias(self, solicitud: SolicitudDeCotizaciones | Campos) -> RespuestaCotizaciones:
        return RespuestaCotizaciones.from_dict(self._mandar("/api/guias/cotizar", solicitud).json())

    def validar_guias(self, solicitud: SolicitudDeGuias | Campos) -> RespuestaGuiasValidas:
        return RespuestaGuiasValidas.from_dict(self._mandar("/api/guias/validar", solicitud).json())

    def crear_guias(
        self, solicitud: SolicitudDeGuias | Campos, *, idempotency_key: str | None = None
    ) -> RespuestaGuiasCreadas:
        """Sin `idempotency_key` lleva una de azar, que sirve mientras el programa viva."""
        respuesta = self._mandar("/api/guias/crear", solicitud, idempotency_key)
        return RespuestaGuiasCreadas.from_dict(respuesta.json())

    def obtener_guia(self, guia: str) -> RespuestaGuia:
        return RespuestaGuia.from_dict(self._http.get(f"/api/guias/{_parte(guia)}").json())

    def cancelar_guia(self, guia: str) -> RespuestaGuiaCancelada:
        return RespuestaGuiaCancelada.from_dict(self._http.post(f"/api/guias/{_parte(guia)}/cancelar").json())

    def recorrer_guias(self, **filtro: str | int) -> Iterator[GuiaCreada]:
        """
        Todas las guías de la cuenta que pasan el filtro, de la más nueva a la más vieja. El filtro es como en `GET /api/guias`:
        `desde`, `hasta`, `referencia`, `estatus`, `destino`, y `limite`, que es de cada página.
        """
        return self._recorrer("/api/guias", filtro, RespuestaGuias.from_dict)

    def obtener_etiqueta(
        self,
        guia: str,
        tipo: Tipo = "carta",
        *,
        formato: Formato | None = None,
        dpi: Literal[203, 300] | None = None,
        paquete: int | None = None,
        paquetes: int | None = None,
    ) -> bytes:
        """La etiqueta de una guía: un PDF, si no se pide otro formato."""
        query = _dados(formato=formato, dpi=dpi, paquete=paquete, paquetes=paquetes)
        return self._http.get(f"/api/guias/{RUTA_DE_ETIQUETA[tipo]}/{_parte(guia)}", params=query).content

    def imprimir_etiquetas(
        self,
        solicitud: SolicitudDeEtiquetas | Campos,
        *,
        formato: Formato | None = None,
        dpi: Literal[203, 300] | None = None,
    ) -> bytes:
        """Las etiquetas de muchas guías en un solo archivo."""
        query = _dados(formato=formato, dpi=dpi)
        return self._http.post("/api/guias/etiquetas", json=_campos(solicitud), params=query).content

    def listar_eventos_de_guia(self, guia: str) -> RespuestaEventosDeGuia:
        return RespuestaEventosDeGuia.from_dict(self._http.get(f"/api/guias/{_parte(guia)}/eventos").json())

    def recorrer_eventos(self, cursor: str | None = None) -> Iterator[Pagina]:
        """
        Los eventos de la cuenta que faltan tras un cursor, por páginas, hasta el último que hay. Guarde `siguiente` junto con los
        eventos de su página: es el cursor con el que se sigue otro día.
        """
        while True:
            respuesta = self._http.get("/api/eventos", params=_dados(limite=500, cursor=cursor))
            pagina = RespuestaEventos.from_dict(respuesta.json())
            if not pagina.data:
                return
            cursor = str(pagina.siguiente)
            yield Pagina(pagina.data, cursor)

    def listar_evidencia(self, guia: str) -> RespuestaEvidenciaDeGuia:
        return RespuestaEvidenciaDeGuia.from_dict(self._http.get(f"/api/guias/{_parte(guia)}/evidencia").json())

    def obtener_evidencia(self, guia: str, evento: str, imagen: str) -> bytes:
        """Una firma o foto, en JPEG. `evento` e `imagen` son los de `listar_evidencia`."""
        ruta = f"/api/guias/{_parte(guia)}/evidencia/{_parte(evento)}/{_parte(imagen)}"
        return self._http.get(ruta).content

    def imprimir_comprobante(self, guia: str) -> bytes:
        """El comprobante de entrega, un PDF."""
        return self._http.get(f"/api/guias/{_parte(guia)}/comprobante").content

    def crear_devolucion(
        self,
        guia: str,
        solicitud: SolicitudDeDevolucion | Campos | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> RespuestaDevolucionCreada:
        """La guía con la que vuelve el paquete de otra."""
        ruta = f"/api/guias/{_parte(guia)}/devolucion"
        return RespuestaDevolucionCreada.from_dict(self._mandar(ruta, solicitud or {}, idempotency_key).json())

    def cotizar_devolucion(
        self, guia: str, solicitud: SolicitudDeCotizacionDeDevolucion | Campos | None = None
    ) -> RespuestaCotizacionDeUnaDevolucion:
        ruta = f"/api/guias/{_parte(guia)}/devolucion/cotizar"
        return RespuestaCotizacionDeUnaDevolucion.from_dict(self._mandar(ruta, solicitud or {}).json())

    def crear_enlace_de_devolucion(self, guia: str) -> RespuestaEnlaceCreado:
        """Un enlace con el que una persona imprime su devolución."""
        ruta = f"/api/guias/{_parte(guia)}/devolucion/enlace"
        return RespuestaEnlaceCreado.from_dict(self._http.post(ruta).json())

    def terminar_enlace_de_devolucion(self, guia: str) -> RespuestaEnlaceTerminado:
        """Desde entonces el enlace responde como uno que no existe."""
        ruta = f"/api/guias/{_parte(guia)}/devolucion/enlace"
        return RespuestaEnlaceTerminado.from_dict(self._http.delete(ruta).json())

    def recorrer_devoluciones(self, **filtro: str | int) -> Iterator[Devolucion]:
        """El filtro es como en `GET /api/devoluciones`: `desde`, `hasta`, y `limite`, que es de cada página."""
        return self._recorrer("/api/devoluciones", filtro, RespuestaDevoluciones.from_dict)

    def crear_manifiesto(
        self, solicitud: SolicitudDeManifiesto | Campos | None = None, *, idempotency_key: str | None = None
    ) -> RespuestaManifiestoCreado:
        """Sin solicitud, entran todas las guías que esperan."""
        respuesta = self._mandar("/api/manifiestos", solicitud or {}, idempotency_key)
        return RespuestaManifiestoCreado.from_dict(respuesta.json())

    def recorrer_manifiestos(self, **filtro: str | int) -> Iterator[Manifiesto]:
        """El filtro es como en `GET /api/manifiestos`: `desde`, `hasta`, y `limite`, que es de cada página."""
        return self._recorrer("/api/manifiestos", filtro, RespuestaManifiestos.from_dict)

    def imprimir_manifiesto(self, manifiesto: str) -> bytes:
        """Un PDF, para firmar al entregar."""
        return self._http.get(f"/api/manifiestos/{_parte(manifiesto)}/pdf").content

    def consultar_recolecciones(self, codigo_postal: str) -> RespuestaDisponibilidad:
        """Las próximas ventanas con lugar."""
        query = {"CodigoPostal": codigo_postal}
        return RespuestaDisponibilidad.from_dict(self._http.get("/api/recolecciones/disponibles", params=query).json())

    def pedir_recoleccion(
        self, solicitud: SolicitudDeRecoleccion | Campos, *, idempotency_key: str | None = None
    ) -> RespuestaRecoleccionPedida:
        respuesta = self._mandar("/api/recolecciones", solicitud, idempotency_key)
        return RespuestaRecoleccionPedida.from_dict(respuesta.json())

    def recorrer_recolecciones(self, **filtro: str | int) -> Iterator[Recoleccion]:
        """El filtro es como en `GET /api/recolecciones`: `desde`, `hasta`, `estado`, y `limite`, que es de cada página."""
        return self._recorrer("/api/recolecciones", filtro, RespuestaRecolecciones.from_dict)

    def obtener_recoleccion(self, recoleccion: str) -> RespuestaRecoleccion:
        return RespuestaRecoleccion.from_dict(self._http.get(f"/api/recolecciones/{_parte(recoleccion)}").json())

    def cancelar_recoleccion(self, recoleccion: str) -> RespuestaRecoleccionCancelada:
        respuesta = self._http.post(f"/api/recolecciones/{_parte(recoleccion)}/cancelar")
        return RespuestaRecoleccionCancelada.from_dict(respuesta.json())

    def recorrer_cobros(self, **filtro: str | int) -> Iterator[CobroDeLista]:
        """
        Lo que se cobró al entregar, guía por guía. El filtro es como en `GET /api/cobros`: `desde`, `hasta`, `limite`, y
        `diferencia="si"`, que da solo lo que no cuadra.
        """
        return self._recorrer("/api/cobros", filtro, RespuestaCobros.from_dict)

    def recorrer_liquidaciones(self, **filtro: str | int) -> Iterator[Liquidacion]:
        return self._recorrer("/api/liquidaciones", filtro, RespuestaLiquidaciones.from_dict)

    def recorrer_liquidacion(self, liquidacion: str) -> Iterator[MovimientoLiquidado]:
        """Los movimientos que una liquidación paga."""
        query: dict[str, str | int] = {"limite": 500}
        while True:
            respuesta = self._http.get(f"/api/liquidaciones/{_parte(liquidacion)}", params=query)
            pagina = RespuestaLiquidacionEncontrada.from_dict(respuesta.json())
            yield from pagina.data.detalle
            if not pagina.siguiente:
                return
            query["cursor"] = str(pagina.siguiente)

    def _mandar(self, ruta: str, solicitud: Any, idempotency_key: str | None = None) -> httpx.Response:
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key is not None else {}
        return self._http.post(ruta, json=_campos(solicitud), headers=headers)

    def _recorrer(self, ruta: str, filtro: Campos, leer: Callable[[Any], Any]) -> Iterator[Any]:
        query = dict(filtro)
        while True:
            pagina = leer(self._http.get(ruta, params=query).json())
            yield from pagina.data
            if not pagina.siguiente:
                return
            query["cursor"] = pagina.siguiente


def _parte(nombre: str) -> str:
    """Como parte de una dirección."""
    return quote(nombre, safe="")


def _campos(solicitud: Any) -> Any:
    return solicitud.to_dict() if hasattr(solicitud, "to_dict") else solicitud


def _dados(**campos: str | int | None) -> dict[str, str | int]:
    return {nombre: valor for nombre, valor in campos.items() if valor is not None}
