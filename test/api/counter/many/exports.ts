import { strToU8, zipSync } from 'fflate';

/** Orders as people export them, made by the rules of each format. */

const ACCENTS = { á: 0xe1, é: 0xe9, í: 0xed, ó: 0xf3, ú: 0xfa, ñ: 0xf1, Á: 0xc1, Ó: 0xd3 } as const;

/** Encodes a text in Windows-1252, as far as the tests need it. */
export function windows1252(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => ACCENTS[letter as keyof typeof ACCENTS] ?? letter.charCodeAt(0));
}

/** Excel in Spanish, "CSV (delimitado por comas)": semicolons, Windows-1252, CRLF; zeros and digits are lost. */
export function excelCsv(): Uint8Array {
  return windows1252(
    [
      'Pedidos de noviembre;;;;;;;;',
      'No. Pedido;Nombre;C.P.;Calle;No. ext.;Colonia;Teléfono;Peso (kg);Descripción',
      'P-1;José Núñez;6600;Reforma;12-mar;Juárez;5512345678;2,5;"Libros; dos"',
      'P-2;Ana;64000;Juárez;5;Centro;5,51234E+09;1.250,75;Café',
      ';;;;;;;;',
      '',
    ].join('\r\n'),
  );
}

/** Excel, "CSV UTF-8": a byte order mark. */
export function excelUtf8(): Uint8Array {
  return strToU8('\ufeffReferencia;Nombre;CP;Contenido\r\nP-1;José;06600;Té\r\n');
}

/** LibreOffice with tabs, texts in quotes, and a cell of two lines. */
export function libreOffice(): Uint8Array {
  return strToU8(
    '"Referencia"\t"Destinatario"\t"CP"\t"Referencias de entrega"\n"P-1"\t"Ana ""la jefa"""\t"06600"\t"Portón\nverde"\n',
  );
}

/** Google Sheets: commas, UTF-8 without a mark, CRLF. */
export function googleSheets(): Uint8Array {
  return strToU8(
    'Pedido,Destinatario Nombre,Codigo postal,Municipio/Alcaldía,Celular\r\nP-1,"Pérez, Luis",06600,Cuauhtémoc,+52 55 1234 5678\r\n',
  );
}

/** Orders of WooCommerce, with the buyer's address beside the recipient's. */
export function wooCommerce(): Uint8Array {
  return strToU8(
    [
      'order_id,order_number,billing_first_name,billing_last_name,billing_email,billing_phone,billing_postcode,shipping_first_name,shipping_last_name,shipping_company,shipping_address_1,shipping_address_2,shipping_city,shipping_state,shipping_postcode,customer_note,line_items',
      '901,1001,Rosa,Comprador,rosa@ejemplo.mx,5512345678,44100,Luis,Pérez,,Av. Reforma 250,Depto 4B,Cuauhtémoc,DF,06600,,"name:Taza|quantity:2"',
    ].join('\n'),
  );
}

/** Orders of Shopify: a line for each article, the first with the address, and an apostrophe before digits. */
export function shopify(): Uint8Array {
  return strToU8(
    [
      'Name,Email,Financial Status,Lineitem quantity,Lineitem name,Billing Name,Billing Zip,Shipping Name,Shipping Street,Shipping Address1,Shipping Address2,Shipping Company,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone,Notes,Id,Shipping Province Name',
      `#1001,luis@ejemplo.mx,paid,1,Taza,Rosa,'44100,Luis Pérez,"Av. Reforma 250, Juárez",Av. Reforma 250,Juárez,,Cuauhtémoc,'06600,DF,MX,'+525512345678,,123,Ciudad de México`,
      '#1001,luis@ejemplo.mx,,2,Plato,,,,,,,,,,,,,,,',
      `#1002,ana@ejemplo.mx,paid,1,Vaso,Ana,'64000,Ana López,Morelos 5,Morelos 5,,,Monterrey,'64000,NL,MX,,,124,Nuevo León`,
    ].join('\n'),
  );
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A workbook of Excel: a hidden sheet before the visible one, shared and inline texts, formulas, dates, and a format of five digits. */
export function excelWorkbook(files: Record<string, string> = {}): Uint8Array {
  const parts: Record<string, string> = {
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Listas" sheetId="1" state="hidden" r:id="rId1"/><sheet name="Pedidos" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/worksheet" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
    'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="[$-80A]dd/mm/yyyy;@"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}"><si><t>Pedido</t></si><si><t>Nombre</t></si><si><t>CP</t></si><si><t>Celular</t></si><si><t>Fecha</t></si><si><t>Peso</t></si><si><r><t>Luis </t></r><r><rPr><b/></rPr><t>&amp; Pérez</t></r><rPh sb="0" eb="1"><t>x</t></rPh></si></sst>`,
    'xl/worksheets/sheet1.xml': `${HEAD}<worksheet xmlns="${MAIN}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>oculta</t></is></c></row></sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml': `${HEAD}<worksheet xmlns="${MAIN}"><sheetData><row r="1">${[0, 1, 2, 3, 4, 5].map((i) => `<c r="${'ABCDEF'[i]}1" t="s"><v>${i}</v></c>`).join('')}</row><row r="2"><c r="A2" t="inlineStr"><is><t>P-1</t></is></c><c r="B2" t="s"><v>6</v></c><c r="C2" s="1"><v>6600</v></c><c r="D2"><v>5.512345678E9</v></c><c r="E2" s="2"><v>45983</v></c><c r="F2"><f>1+1.5</f><v>2.5</v></c></row><row r="4"><c r="A4" t="str"><f>"P-"&amp;2</f><v>P-2</v></c><c r="C4"><v>6600</v></c><c r="F4" t="e"><f>1/0</f><v>#DIV/0!</v></c></row></sheetData></worksheet>`,
    ...files,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}
