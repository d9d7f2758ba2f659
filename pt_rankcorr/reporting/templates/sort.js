"use strict";
// Makes the heads of columns buttons that sort their table; without it the tables are read as they are.
for (const table of document.querySelectorAll("main table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const numeric = head.classList.contains("number");
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      const key = (row) => row.cells[column].dataset.key;
      const order = (a, b) => (numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true }));
      const compare = (one, two) => {
        const [a, b] = [key(one), key(two)];
        if (a === "" || b === "") return (a === "") - (b === "");
        return sign * order(a, b);
      };
      body.append(...[...body.rows].sort(compare));
    });
  });
}
