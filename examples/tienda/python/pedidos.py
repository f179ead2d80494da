"""Lee pedidos como los exporta una tienda en línea o los guarda Excel, y hace de cada uno una guía."""

import csv
import io
import re
import unicodedata
from pathlib import Path

REMITENTE = {"Nombre": "Papelería La Esquina", "Telefono": "5550001234"}


def leer_pedidos(archivo):
    texto = decodificar(Path(archivo).read_bytes())
    separador = ";" if ";" in texto.split("\n", 1)[0] else ","
    filas = csv.reader(io.StringIO(texto, newline=""), delimiter=separador)
    columnas = [columna(nombre) for nombre in next(filas)]
    # Excel deja filas de puros ;;;;
    return [a_pedido(dict(zip(columnas, fila))) for fila in filas if any(fila)]


def decodificar(contenido):
    """Lo que no es UTF-8 es de Excel en Windows."""
    try:
        return contenido.decode("utf-8-sig")
    except UnicodeDecodeError:
        return contenido.decode("cp1252")


def columna(nombre):
    """«Teléfono» es `telefono`, «C.P.» es `cp`, y «Peso (kg)» es `peso`."""
    return re.sub(r"\(.*\)|[^a-z]", "", unicodedata.normalize("NFD", nombre).lower())


def a_pedido(fila):
    def texto(nombre):
        valor = fila.get(nombre, "").strip()
        return "" if valor in ("-", "N/A") else valor

    def medida(nombre):
        # 0 es «no se sabe»: de la medida que falta avisa la API.
        return float(texto(nombre).replace(",", ".") or 0)

    guia = {
        "Referencia": texto("pedido"),
        "Remitente": dict(REMITENTE),
        "Destinatario": {
            "Nombre": texto("nombre"),
            "RazonSocial": texto("empresa"),
            "RFC": texto("rfc"),
            "Email": texto("correo"),
            "Telefono": texto("telefono"),
            "Calle": texto("calle"),
            "Numero_exterior": texto("numero"),
            "Numero_interior": texto("interior"),
            "Colonia": texto("colonia"),
            "Municipio": texto("municipio"),
            "Estado": texto("estado"),
            "CodigoPostal": texto("cp"),
            "Referencias": texto("referencias"),
        },
        "Producto": {
            "Contenido": texto("contenido"),
            "Peso": medida("peso"),
            "Largo": medida("largo"),
            "Alto": medida("alto"),
            "Ancho": medida("ancho"),
            "Paquetes": int(re.match(r"\d*", texto("paquetes")).group() or 1),
            "ValorDeclarado": float(re.sub(r"[$,\s]", "", texto("valor")) or 0),  # aquí la coma separa miles
        },
        "Creado_por": {},
    }
    servicio = "the service" if texto("entrega").lower() == "sucursal" else "Domicilio"
    return {"numero": texto("pedido"), "servicio": servicio, "guia": guia, "corregido": set()}
