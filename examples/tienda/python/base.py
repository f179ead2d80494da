"""La base de datos de la tienda (tienda.sql)."""

import os
import sqlite3
from pathlib import Path


def abrir():
    """Da una conexión: `with` guarda todo lo que se haga en él, o nada."""
    base = sqlite3.connect(os.environ.get("BASE", "tienda.db"))
    base.executescript((Path(__file__).parent.parent / "tienda.sql").read_text(encoding="utf-8"))
    return base


def guardar_eventos(base, eventos):
    """Da cuántos eventos son nuevos: uno que se repite no cuenta."""
    filas = [(e["SEND_GUIA"], e["Id"], e["Version"], e["Tipo"], e["SEND_ESTATUS"]) for e in eventos]
    return base.executemany("INSERT OR IGNORE INTO eventos VALUES (?, ?, ?, ?, ?)", filas).rowcount


def leer_valor(base, nombre):
    fila = base.execute("SELECT valor FROM valores WHERE nombre = ?", (nombre,)).fetchone()
    return fila and fila[0]


def guardar_valor(base, nombre, valor):
    base.execute("INSERT OR REPLACE INTO valores VALUES (?, ?)", (nombre, valor))
