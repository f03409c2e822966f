/** What a picture of a terminal says: one line a `<text>`, however many rows it takes. */
export const pictureText = (svg: string): string =>
  [...svg.matchAll(/<text\b[^>]*>([^]*?)<\/text>/g)]
    .map(([, spans = '']) =>
      spans
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    )
    .join('\n')
