import { pageKit } from '#shared/pages/page-kit.ts';

const VIEWS = new URL('views/', import.meta.url);

/** What a page has beside its own fields. `indexed`: search engines may list it; they may not unless it says so. */
export type Framed<View> = View & { carrier: string; indexed?: boolean };

/**
 * Returns a kit for the pages of a folder: in the frame `pagina`, with one look (docs/contract.md "Tracking page").
 *
 * @param style address of the style sheet that `kit.style` makes.
 */
export function publicPageKit(folder: URL, style: string, partials: string[] = []) {
  const kit = pageKit(folder, [new URL('pagina.hbs', VIEWS), ...partials]);
  return {
    page: <View>(name: string) => {
      const page = kit.page<View>(name);
      return (view: Framed<View>): string => page({ style, indexed: false, ...view });
    },
    style: (...files: string[]): string => kit.style(new URL('publica.css', VIEWS), ...files),
  };
}
