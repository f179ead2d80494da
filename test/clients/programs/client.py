# Logs in, creates a guide and prints it, with the client that openapi-generator makes. Saves the PDF.
import os
from pathlib import Path

from openapi_client import (
    ApiClient,
    AutenticacionApi,
    Configuration,
    CreadoPor,
    Destinatario,
    EtiquetasApi,
    Guia,
    GuiasApi,
    Producto,
    Remitente,
    SolicitudDeGuias,
)

host = os.environ["API_URL"]
login = AutenticacionApi(ApiClient(Configuration(host=host)))
session = login.iniciar_sesion(x_username="demo", x_password="demo1234")

client = ApiClient(Configuration(host=host, access_token=session.data.access_token))
guide = Guia(
    Remitente=Remitente(Nombre="Ana López", Telefono="+52 (55) 1234-5678"),
    Destinatario=Destinatario(Nombre="Luis Pérez", CodigoPostal="64000", RFC="PELL-800101-AB1"),
    Producto=Producto(Contenido="Libros", Peso=2.5),
    Creado_por=CreadoPor(),
)
request = SolicitudDeGuias(TipoServicio="Domicilio", Guia=[guide])
created = GuiasApi(client).crear_guias(request, idempotency_key="pedido-1043")
# This generator asks for JSON wherever an error is JSON; the parameter has the last word.
label = EtiquetasApi(client).obtener_etiqueta(created.data[0].send_guia, formato="pdf")
Path(os.environ["PDF"]).write_bytes(label)
