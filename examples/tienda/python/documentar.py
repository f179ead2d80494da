"""De los archivos con pedidos a las guías creadas."""

import csv
import json
from uuid import uuid4

from api import api, exito
from base import abrir
from corregir import corregir
from guias_api.api.guias import cotizar_guias, crear_guias, validar_guias
from guias_api.models import RespuestaError, SolicitudDeCotizaciones, SolicitudDeGuias
from guias_api.types import UNSET
from pedidos import leer_pedidos

# Lo que decide una persona: todo lo que impide documentar cada pedido.
apartados = {}


def documentar(*archivos):
    """Crea las guías de los pedidos que aún no la tienen. Los que no se pueden corregir quedan en por-revisar.csv."""
    base = abrir()
    crear_pendientes(base)  # de una vez que el programa no terminó
    con_guia = {pedido for (pedido,) in base.execute("SELECT pedido FROM guias")}
    leidos = unicos(pedido for archivo in archivos for pedido in leer_pedidos(archivo))
    pedidos = [pedido for pedido in leidos if pedido["numero"] not in con_guia]
    # Una solicitud tiene un solo TipoServicio.
    for servicio in dict.fromkeys(pedido["servicio"] for pedido in pedidos):

        def validar(solicitud):
            return validar_guias.sync(client=api, body=SolicitudDeGuias.from_dict(solicitud))

        def cotizar(solicitud):
            return cotizar_guias.sync(client=api, body=SolicitudDeCotizaciones.from_dict(solicitud))

        grupo = [pedido for pedido in pedidos if pedido["servicio"] == servicio]
        validos = [pedido for pedido, _ in aceptar(servicio, grupo, validar)]
        cotizados = aceptar(servicio, validos, cotizar)
        guias = [{**pedido["guia"], "Cotizacion": precio.opciones[0].cotizacion} for pedido, precio in cotizados]
        if guias:
            guardar_pendiente(base, {"TipoServicio": servicio, "Guia": guias})
    crear_pendientes(base)
    with open("por-revisar.csv", "w", newline="", encoding="utf-8") as archivo:
        filas = csv.writer(archivo, quoting=csv.QUOTE_ALL)
        filas.writerow(("pedido", "motivo"))
        filas.writerows((numero, "; ".join(motivos)) for numero, motivos in apartados.items())


def unicos(pedidos):
    """Un pedido que se repite igual cuenta una vez. De dos distintos con el mismo número decide una persona."""
    por_numero = {}
    for pedido in pedidos:
        if por_numero.setdefault(pedido["numero"], pedido) != pedido:
            apartados[pedido["numero"]] = ["Hay dos pedidos distintos con este número"]
    return [pedido for numero, pedido in por_numero.items() if numero not in apartados]


def aceptar(servicio, pedidos, mandar):
    """Manda las guías hasta que todas se aceptan: corrige lo que se puede, y aparta lo demás. Da lo que recibió de cada una."""
    while pedidos:
        respuesta = mandar({"TipoServicio": servicio, "Guia": [pedido["guia"] for pedido in pedidos]})
        if not (isinstance(respuesta, RespuestaError) and respuesta.details):
            return list(zip(pedidos, exito(respuesta).data))
        fuera = []
        for problema in respuesta.details:
            if problema.indice is UNSET:
                exito(respuesta)
            pedido = pedidos[problema.indice]
            if not corregir(pedido, problema):
                apartados.setdefault(pedido["numero"], []).append(problema.message)
                fuera.append(pedido)
        pedidos = [pedido for pedido in pedidos if pedido not in fuera]
    return []


def guardar_pendiente(base, solicitud):
    """La clave se guarda antes de mandar la solicitud: si no hay respuesta, se repite con ella y nada se crea dos veces."""
    with base:
        base.execute("INSERT INTO pendientes VALUES (?, ?)", (str(uuid4()), json.dumps(solicitud)))


def crear_pendientes(base):
    for clave, texto in base.execute("SELECT * FROM pendientes").fetchall():
        solicitud = json.loads(texto)
        body = SolicitudDeGuias.from_dict(solicitud)
        creadas = exito(crear_guias.sync(client=api, body=body, idempotency_key=clave))
        with base:
            for guia, creada in zip(solicitud["Guia"], creadas.data):
                base.execute(
                    "INSERT INTO guias (guia, pedido, total, paquetes) VALUES (?, ?, ?, ?)",
                    (creada.send_guia, guia["Referencia"], creada.send_total, guia["Producto"]["Paquetes"]),
                )
            base.execute("DELETE FROM pendientes WHERE clave = ?", (clave,))
        print(len(creadas.data), "guías nuevas")
        for aviso in creadas.advertencias or []:
            print(f"Aviso de {solicitud['Guia'][aviso.indice]['Referencia']}: {aviso.message}")
