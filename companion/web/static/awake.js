// The screen stays on: by the browser's own lock on a secure page, else by a film of nothing.

const SCREEN = "/static/awake.mp4";

export function stayAwake() {
  if (navigator.wakeLock) {
    const lock = () => document.hidden || navigator.wakeLock.request("screen").catch((reason) => console.info(String(reason)));
    document.addEventListener("visibilitychange", lock);
    lock();
  } else {
    document.addEventListener("pointerup", film, { once: true }); // a browser plays sound, be it silence, after a tap only
  }
}

// A black picture with silence, over and over: phones keep their screen on while a film with sound runs.
async function film() {
  const video = document.createElement("video");
  Object.assign(video, { src: SCREEN, loop: true, playsInline: true });
  video.setAttribute("aria-hidden", "true");
  video.className = "awake";
  document.body.append(video);
  document.addEventListener("visibilitychange", () => (document.hidden ? video.pause() : play(video)));
  await play(video);
}

async function play(video) {
  try {
    await video.play();
  } catch (reason) {
    console.info(String(reason));
  }
}
