// The camera's picture on pages that look at the table.

/**
 * Shows a picture that may be lacking, as that of a camera that films nothing just now: then nothing is shown.
 * @param {HTMLImageElement} image @param {string} address
 */
export function showPicture(image, address) {
  image.onerror = () => image.removeAttribute("src");
  image.src = address;
}
