"""Una tienda documenta sus pedidos, los imprime, y sigue lo que pasa con ellos. README.md dice cómo se usa."""

import sys
from pathlib import Path

from api import api, exito
from base import abrir, guardar_eventos, guardar_valor, leer_valor
from documentar import documentar
from guias_api.api.etiquetas import imprimir_etiquetas, obtener_etiqueta_10_x_15
from guias_api.api.eventos import listar_eventos, listar_eventos_de_guia, simular_eventos
from guias_api.api.guias import cancelar_guia, listar_guias
from guias_api.models import ListarGuiasEstatus, ObtenerEtiqueta10X15Formato, Simulacion, SolicitudDeEtiquetas
from guias_api.types import UNSET
from recibir import recibir


def imprimir():
    """Imprime en etiquetas.pdf lo que aún no se ha impreso."""
    base = abrir()
    guias = [guia for (guia,) in base.execute("SELECT guia FROM guias WHERE impresa = 0 ORDER BY rowid")]
    body = SolicitudDeEtiquetas.from_dict({"Guias": guias, "Tipo": "pequena"})
    pdf = exito(imprimir_etiquetas.sync(client=api, body=body))
    Path("etiquetas.pdf").write_bytes(pdf.payload.read())
    with base:
        base.executemany("UPDATE guias SET impresa = 1 WHERE guia = ?", [(guia,) for guia in guias])


def imagen(pedido):
    """Guarda la etiqueta de un pedido como imagen, del primero de sus paquetes."""
    guia = abrir().execute("SELECT guia FROM guias WHERE pedido = ?", (pedido,)).fetchone()[0]
    formato = ObtenerEtiqueta10X15Formato.PNG
    png = exito(obtener_etiqueta_10_x_15.sync(guia, client=api, formato=formato, paquete=1))
    Path(f"{pedido}.png").write_bytes(png.payload.read())


def seguir():
    """Pide los eventos que faltan, desde donde se quedó. Para un cron de cada minuto, con webhook o sin él."""
    base = abrir()
    while True:
        cursor = leer_valor(base, "cursor") or UNSET
        pagina = exito(listar_eventos.sync(client=api, limite=500, cursor=cursor))
        # El cursor se guarda junto con lo que trajo: si el programa se cae antes, recibe otra vez la misma página.
        with base:
            nuevos = guardar_eventos(base, [evento.to_dict() for evento in pagina.data])
            guardar_valor(base, "cursor", pagina.siguiente)
        print(nuevos, "eventos nuevos,", len(pagina.data) - nuevos, "repetidos")
        if not pagina.data:
            return


def problemas():
    """Dice qué pedidos tienen un problema que alguien debe ver."""
    cursor = UNSET
    while cursor is not None:
        pagina = exito(listar_guias.sync(client=api, estatus=ListarGuiasEstatus.INCIDENCIA, limite=500, cursor=cursor))
        for guia in pagina.data:
            eventos = exito(listar_eventos_de_guia.sync(guia.send_guia, client=api)).data
            causa = [evento for evento in eventos if evento.tipo == "Incidencia" and not evento.anulado][-1]
            print(f"{guia.referencia} {guia.send_guia}: {causa.motivo}")
        cursor = pagina.siguiente


def cancelar(pedido):
    """Cancela las guías de un pedido que no se va a mandar."""
    for guia in exito(listar_guias.sync(client=api, referencia=pedido)).data:
        exito(cancelar_guia.sync(guia.send_guia, client=api))
        print(f"{pedido} {guia.send_guia}: cancelada")


def ensayar(*escenarios):
    """En una cuenta de prueba: que pasen estas cosas, cada una con otra guía."""
    base = abrir()
    for escenario in escenarios:
        condicion = "paquetes > 1" if escenario == "varios_paquetes" else "paquetes = 1"
        (guia,) = base.execute(f"SELECT guia FROM guias WHERE ensayo IS NULL AND {condicion}").fetchone()
        exito(simular_eventos.sync(guia, client=api, body=Simulacion.from_dict({"Escenario": escenario})))
        with base:
            base.execute("UPDATE guias SET ensayo = ? WHERE guia = ?", (escenario, guia))


ORDENES = {f.__name__: f for f in (documentar, imprimir, imagen, recibir, seguir, problemas, cancelar, ensayar)}

if __name__ == "__main__":
    orden, *argumentos = sys.argv[1:] or [""]
    if orden not in ORDENES:
        sys.exit(f"Uso: python3 tienda.py {'|'.join(ORDENES)}")
    ORDENES[orden](*argumentos)
