// What this device kept of pages that are over. A page of questions is asked once and sent in the browser's own way, so
// nothing of it stays when another page opens; from the debriefing on nothing of the study stays.
(() => {
  "use strict";

  const { study, keep } = document.currentScript.dataset;
  const isOver = (address) => address.startsWith(study) && (keep === undefined || (address.startsWith(`${study}questions/`) && address !== keep));

  for (const storage of ["localStorage", "sessionStorage"]) {
    // A browser may forbid its storage.
    try {
      for (const name of Object.keys(globalThis[storage])) {
        const [, address] = name.match(/^attune-(?:answer|away|typing|message|draft):([^#]*)/) ?? [];
        if (address !== undefined && isOver(address)) globalThis[storage].removeItem(name);
      }
    } catch { /* nothing was kept */ }
  }
})();
