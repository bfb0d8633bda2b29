// Runs in a page of ours: the share of the commonest colour of a picture, and how many there are.
// Colours are told apart by five bits of each part.
async (encoded) => {
  const bytes = Uint8Array.from(atob(encoded), (one) => one.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.drawImage(picture, 0, 0);
  picture.close();
  const pixels = new Uint32Array(
    pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer,
  );
  const bins = new Uint32Array(32768);
  for (const one of pixels) {
    bins[((one >> 3) & 31) | (((one >> 11) & 31) << 5) | (((one >> 19) & 31) << 10)]++;
  }
  let most = 0;
  let colours = 0;
  for (const count of bins) {
    if (count) colours++;
    if (count > most) most = count;
  }
  return [most / pixels.length, colours];
};
