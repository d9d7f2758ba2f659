// What is pointed at, a system or a measure, is marked wherever it has a row or a name in a picture.
const named = new Map();
const know = (name, element) => {
  if (name) named.set(name, [...(named.get(name) ?? []), element]);
};
document.querySelectorAll("main tbody tr").forEach((row) => know(row.cells[0].dataset.key, row));
document.querySelectorAll("main svg [data-name]").forEach((label) => know(label.dataset.name, label));

const mark = (element, on) => {
  element.classList.toggle("marked", on);
  const svg = element.ownerSVGElement;
  if (!svg) return;
  svg.querySelectorAll(":scope > .marker").forEach((old) => old.remove());
  if (!on) return;
  const box = element.getBBox(); // in the units of the picture: texts are moved inside of their group only
  const marker = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const whole = element.dataset.row !== undefined;
  const place = { x: whole ? 0 : box.x, y: box.y - 1, width: whole ? svg.viewBox.baseVal.width : box.width, height: box.height + 2 };
  Object.entries(place).forEach(([side, length]) => marker.setAttribute(side, length));
  marker.classList.add("marker");
  svg.prepend(marker);
};
for (const elements of named.values()) {
  if (elements.length < 2) continue;
  for (const element of elements) {
    element.addEventListener("pointerenter", () => elements.forEach((other) => mark(other, true)));
    element.addEventListener("pointerleave", () => elements.forEach((other) => mark(other, false)));
  }
}
