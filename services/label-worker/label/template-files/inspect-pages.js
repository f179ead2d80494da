// Runs in the page that prints (check-templates.ts). Lengths in CSS pixels.
() => {
  /** What rounding to whole pixels may add. */
  const TOLERANCE = 1;
  const MM = 96 / 25.4;
  const lineOf = (element) => Number(element?.closest('[data-line]')?.dataset.line) || undefined;
  const finding = (element, problem) => ({ line: lineOf(element), problem });

  const [end, ...pages] = [...document.body.children].reverse();
  if (end.outerHTML !== '<section>end</section>') {
    // Of an element that goes on, the page behind has a copy; of one that swallows what is behind, there is no such page.
    const copied = end.matches('[data-line]') ? end : end.querySelector(':not(.flow *)[data-line]');
    const open = copied ?? [...end.querySelectorAll('[data-line]')].at(-1);
    return [finding(open, 'an element that begins here is not closed')];
  }
  const stray = [...document.body.children].find((element) => element.tagName !== 'SECTION');
  if (stray) return [finding(stray, 'stands outside of its page: an element is closed that was not opened')];

  /** What of a rectangle is to be seen: not what elements around it cut off. */
  const visible = (rect, parent, page) => {
    let { left, top, right, bottom } = rect;
    for (let around = parent; around && around !== page; around = around.parentElement) {
      if (getComputedStyle(around).overflow === 'visible') continue;
      const cut = around.getBoundingClientRect();
      [left, top] = [Math.max(left, cut.left), Math.max(top, cut.top)];
      [right, bottom] = [Math.min(right, cut.right), Math.min(bottom, cut.bottom)];
    }
    return { left, top, right, bottom };
  };
  const isEmpty = ({ left, top, right, bottom }) => right - left <= 0 || bottom - top <= 0;
  const textRects = (page) => {
    const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const element = node.parentElement;
      for (const rect of range.getClientRects()) found.push({ element, ...visible(rect, element, page) });
    }
    return found.filter((text) => !isEmpty(text));
  };
  const elementRects = (page) =>
    [...page.querySelectorAll('.flow *, tspan, path, image')]
      .map((element) => ({
        element,
        ...visible(element.getBoundingClientRect(), element.parentElement, page),
      }))
      .filter((rect) => !isEmpty(rect));

  return pages.flatMap((page) => {
    page.style.contentVisibility = 'visible';
    const room = page.getBoundingClientRect();
    const texts = textRects(page);
    for (const { element, ...rect } of [...texts, ...elementRects(page)]) {
      const beyond = {
        left: room.left - rect.left,
        top: room.top - rect.top,
        right: rect.right - room.right,
        bottom: rect.bottom - room.bottom,
      };
      const [side, length] = Object.entries(beyond).sort(([, one], [, other]) => other - one)[0];
      if (length > TOLERANCE)
        return [finding(element, `reaches ${(length / MM).toFixed(1)} mm out of the page (${side})`)];
    }
    for (const code of page.querySelectorAll('a.box')) {
      const box = code.getBoundingClientRect();
      const over = texts.find(
        ({ left, top, right, bottom }) =>
          Math.min(right, box.right) - Math.max(left, box.left) > TOLERANCE &&
          Math.min(bottom, box.bottom) - Math.max(top, box.top) > TOLERANCE,
      );
      if (over)
        return [finding(over.element, `“${over.element.textContent.trim().slice(0, 20)}” stands on a code`)];
    }
    return [];
  });
};
