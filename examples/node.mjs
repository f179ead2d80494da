// Cotiza dos envíos, los crea con su precio, los imprime en un solo PDF y lista los que esperan. Node.js 20 o posterior, sin paquetes.
//   API=https://guias.example LLAVE=gk_live_… PEDIDO=1042 node examples/node.mjs
import { writeFile } from 'node:fs/promises';
import { setTimeout as esperar } from 'node:timers/promises';

const API = process.env.API ?? 'http://127.0.0.1:3000';
const { LLAVE, PEDIDO = String(Date.now()) } = process.env;
if (!LLAVE) throw new Error(`Falta LLAVE: ${API}/api/docs/llaves dice cómo crear una`);

//#region repetir
/** Repite tras 408, 429, 5xx y conexiones sin respuesta; lo demás no cambia por repetir. */
async function pedir(ruta, opciones) {
  for (let intento = 1; ; intento++) {
    let estado = 0;
    let cuerpo = Buffer.from('sin respuesta');
    let espera = intento;
    try {
      const respuesta = await fetch(API + ruta, { ...opciones, signal: AbortSignal.timeout(30_000) });
      estado = respuesta.status;
      espera = Number(respuesta.headers.get('retry-after') ?? intento);
      cuerpo = Buffer.from(await respuesta.arrayBuffer());
      if (respuesta.ok) return cuerpo;
    } catch {
      estado = 0; // una conexión que se cortó, quizá a la mitad de la respuesta
    }
    const pasajero = estado === 0 || estado === 408 || estado === 429 || estado >= 500;
    if (!pasajero || intento === 5) throw new Error(`Respuesta ${estado}: ${cuerpo}`);
    await esperar(espera * 1_000);
  }
}
//#endregion

const headers = { Authorization: `Bearer ${LLAVE}`, 'Content-Type': 'application/json' };

const guia = (numero, Destinatario, Producto) => ({
  Referencia: `${PEDIDO}-${numero}`,
  Remitente: { Nombre: 'Ana López' },
  Destinatario,
  Producto,
  Creado_por: {},
});
const solicitud = {
  TipoServicio: 'Domicilio',
  Guia: [
    guia(
      1,
      {
        Nombre: 'Luis Pérez',
        Calle: 'Av. Juárez',
        Numero_exterior: '800',
        Colonia: 'Centro',
        Municipio: 'Monterrey',
        Estado: 'Nuevo León',
        CodigoPostal: '64000',
      },
      { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 },
    ),
    guia(
      2,
      {
        Nombre: 'Rosa Díaz',
        Calle: 'Av. Hidalgo',
        Numero_exterior: '400',
        Colonia: 'Guadalajara Centro',
        Municipio: 'Guadalajara',
        Estado: 'Jalisco',
        CodigoPostal: '44100',
      },
      { Contenido: 'Cuadernos', Peso: 1, Largo: 30, Alto: 21, Ancho: 5, Paquetes: 2 },
    ),
  ],
};

//#region cotizar
// Para cotizar basta la misma solicitud. Cada guía recibe su precio; de un solo TipoServicio hay una opción.
const cotizadas = await pedir('/api/guias/cotizar', {
  method: 'POST',
  headers,
  body: JSON.stringify(solicitud),
});
const opciones = JSON.parse(cotizadas).data.map(({ Opciones: [opcion] }) => opcion);
//#endregion

//#region crear
opciones.forEach(({ Cotizacion }, indice) => {
  solicitud.Guia[indice].Cotizacion = Cotizacion;
});

// La clave nombra la solicitud: repetida con ella, no crea otras guías.
const creadas = await pedir('/api/guias/crear', {
  method: 'POST',
  headers: { ...headers, 'Idempotency-Key': `pedido-${PEDIDO}` },
  body: JSON.stringify(solicitud),
});
const Guias = JSON.parse(creadas).data.map(({ SEND_GUIA }) => SEND_GUIA);
//#endregion

//#region imprimir
const pdf = await pedir('/api/guias/etiquetas', {
  method: 'POST',
  headers,
  body: JSON.stringify({ Guias, Tipo: 'pequena' }),
});
await writeFile('etiquetas.pdf', pdf);
//#endregion
const totales = opciones.map(({ SEND_TOTAL }) => SEND_TOTAL);
process.stdout.write(`Guías ${Guias.join(', ')}, por ${totales.join(' y ')} pesos: etiquetas.pdf\n`);

//#region listar
const documentadas = [];
let cursor = '';
do {
  const pagina = await pedir(`/api/guias?estatus=Documentado&limite=500${cursor}`, { headers });
  const { data, siguiente } = JSON.parse(pagina);
  documentadas.push(...data.map(({ SEND_GUIA }) => SEND_GUIA));
  cursor = siguiente && `&cursor=${siguiente}`;
} while (cursor);
//#endregion
process.stdout.write(`Esperan: ${documentadas.join(' ')}\n`);
