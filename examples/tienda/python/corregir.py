"""Lo que un programa puede corregir de una guía que la API rechaza. Lo demás lo decide una persona."""

import re


def con_cero(cp):
    """Excel quita el cero de 06600."""
    return "0" + cp if re.fullmatch(r"\d{4}", cp) else cp


def sin_extension(telefono):
    """«81 5001 6120 ext. 12»: lo que va antes de las letras; si es muy poco, sin teléfono también llega."""
    numero = re.match(r"[\d\s()+-]*", telefono).group()
    return numero if len(re.sub(r"\D", "", numero)) >= 10 else ""


def en_kilos(peso):
    """Nada de esta tienda pesa tanto: son gramos."""
    return peso / 1000


# Por `codigo` y `campo` de cada problema: qué queda en el campo.
ARREGLOS = {
    ("campo_formato", "Destinatario.CodigoPostal"): con_cero,
    ("campo_formato", "Destinatario.Telefono"): sin_extension,
    ("campo_formato", "Destinatario.Email"): lambda correo: "",
    ("campo_largo", "Destinatario.Referencias"): lambda texto: texto[:250],
    ("campo_formato", "Producto.Contenido"): lambda texto: re.sub(r"[\x00-\x1f\x7f-\x9f]", "", texto),
    ("campo_formato", "Producto.Peso"): en_kilos,
    ("medidas_excedidas", "Producto.Peso"): en_kilos,
}


def corregir(pedido, problema):
    """Corrige un problema. Da False si no hay cómo, o si ya se intentó y no bastó."""
    regla = (problema.codigo, problema.campo)
    if regla not in ARREGLOS or regla in pedido["corregido"]:
        return False
    seccion, campo = problema.campo.split(".")
    pedido["guia"][seccion][campo] = ARREGLOS[regla](pedido["guia"][seccion][campo])
    pedido["corregido"].add(regla)
    return True
