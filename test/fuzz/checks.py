"""Two checks of schemathesis: a request that the document allows is accepted, and any other is refused.

Both have exceptions, which the document cannot say or leaves out on purpose. Each stands here with its reason.
"""

import re

import jsonschema_rs
import schemathesis
from schemathesis.specs.openapi import checks

# Refusals of allowed requests, by `codigo`: what is stored decides, or a limit, not the form of the request.
BY_STATE = {
    "cuota_excedida": "A limit is reached",
    "sin_tarifa": "The carrier has no prices",
    "medidas_excedidas": "No price is for a parcel as large",
    "sin_cobertura": "No branch delivers to a postal code of the right form",
    "destino_invalido": "No branch has a code of the right form",
    "cotizacion_invalida": "The service signs quotes; another text of their form is none",
    "guia_fuera_del_manifiesto": "A guide that is missing is one of the manifest",
    "sucursal_no_cobra": "A branch may collect nothing",
    "cobro_excedido": "A branch decides how much it collects",
    "devolucion_sin_domicilio": "The sender's address decides whether a return goes there",
    "devolucion_sin_destino": "So it does if nothing else says where a return goes",
    "imagen_de_otro_tipo": "Bytes of any kind are no picture",
    "imagen_cortada": "Nor are bytes that begin as one",
    "imagen_ilegible": "Nor are bytes that begin and end as one",
}

# Refusals of a field or a parameter that the document allows, by the message.
BY_RULE = {
    r"^El parametro 'cursor'|^El campo 'cursor'": "Only a page that was read gives a cursor",
    r"^El parametro '(desde|hasta|fecha)'|debe ser una fecha que existe": "A text of the form of a date may be none, such as February 30",
    r"^paquete debe ser": "The guide decides how many packages it has",
    r"^Un PNG tiene una sola pagina": "So it does how many pages",
    r"la guia original no tiene mas": "A return has no more packages than its original",
    r"caracteres de control": "Some languages read patterns by bytes, so the document has none for texts in Unicode",
    r"como los escribe el SAT": "The pattern has characters by number, which not every language can read",
    r"debe ser una direccion de correo": "Generators know other forms of addresses",
    r"^Se requiere DestinoCode o CodigoPostal": "Words say that one of two is required: generators would make two types",
    r"^El JSON no contiene el array 'Eventos'|^Campo desconocido: '(Eventos|Faltan|Ocurrido|Recoleccion|Sucursal|Tipo)'": "So it is with events and a manifest, which is scanned",
    r"es requerido$": "A text without a visible character, or a measure of 0, is absent",
    r"^El campo 'Hasta'": "The scenario decides where it may end",
    r"debe ser un momento futuro": "The clock decides",
    r"debe ser una fecha y hora con zona": "A leap second has the form of a moment",
    r"^El campo 'Url'": "Which hosts and ports may be called is a rule of networks",
    r"^El campo 'ContrasenaNueva'": "Common passwords are a list",
    r"solo va con|va solo con|no va junto con|va en lugar de": "Fields that exclude each other would make two types",
}


@schemathesis.check
def accepts_allowed(ctx, response, case):
    """Fails for a refused request that the document allows."""
    try:
        checks.positive_data_acceptance(ctx, response, case)
    except checks.RejectedPositiveData:
        if not all(is_excepted(problem) for problem in problems_of(response)):
            raise


@schemathesis.check
def refuses_others(ctx, response, case):
    """Fails for an accepted request that the document does not allow."""
    try:
        checks.negative_data_rejection(ctx, response, case)
    except checks.AcceptedNegativeData:
        if not (is_allowed_once_tidied(case) or is_lenient(response) or is_refused_in_part(response)):
            raise


def problems_of(response):
    answer = response.json()
    return answer.get("details") or [answer]


def is_excepted(problem):
    return problem["codigo"] in BY_STATE or any(re.search(rule, problem["message"]) for rule in BY_RULE)


def is_lenient(response):
    """Tells whether unknown fields were left out and named, as `Prefer: handling=lenient` asks."""
    warnings = response.json().get("advertencias", [])
    return any(warning["codigo"] == "campo_desconocido" for warning in warnings)


def is_refused_in_part(response):
    """Tells whether an answer refuses a part by itself, such as one of many events."""
    data = response.json().get("data")
    return isinstance(data, list) and any(
        isinstance(one, dict) and one.get("resultado") == "rechazado" for one in data
    )


def is_allowed_once_tidied(case):
    """Tells whether sloppy input was accepted: what is null or "" is absent, and texts are trimmed."""
    document = case.operation.schema.raw_schema
    body = case.operation.definition.raw.get("requestBody", {})
    schema = body.get("content", {}).get("application/json", {}).get("schema")
    if schema is None:
        return False
    if case.body is None:
        return not body.get("required")
    validator = jsonschema_rs.Draft202012Validator({**schema, "components": document["components"]})
    return validator.is_valid(tidied(case.body))


def tidied(value):
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return [tidied(each) for each in value]
    if isinstance(value, dict):
        fields = {name: tidied(field) for name, field in value.items()}
        return {name: field for name, field in fields.items() if field not in (None, "")}
    return value
