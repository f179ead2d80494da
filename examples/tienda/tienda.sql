-- Lo que la tienda guarda. Las dos versiones del programa usan estas tablas.
CREATE TABLE IF NOT EXISTS guias (
  guia TEXT PRIMARY KEY, pedido TEXT, total REAL, paquetes INTEGER, impresa INTEGER DEFAULT 0, ensayo TEXT
);
-- Solicitudes de crear sin respuesta todavía: se guardan antes de mandarlas, con su Idempotency-Key.
CREATE TABLE IF NOT EXISTS pendientes (clave TEXT PRIMARY KEY, solicitud TEXT);
-- Un evento se conoce por su guía y su Id: otra guía puede tener el mismo Id.
CREATE TABLE IF NOT EXISTS eventos (
  guia TEXT, id TEXT, version INTEGER, tipo TEXT, estatus TEXT, PRIMARY KEY (guia, id)
);
-- El cursor de los eventos, y el secreto del webhook.
CREATE TABLE IF NOT EXISTS valores (nombre TEXT PRIMARY KEY, valor TEXT);
