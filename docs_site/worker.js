// A browser starts no worker from the file system; there the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.onmessage = null;
      this.onerror = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data: structuredClone(data) });
        setTimeout(() => this.onmessage?.(message));
      };
      this.ready = new Promise((resolve) => {
        const script = inside.document.createElement("script");
        script.src = new URL(address, location);
        script.onload = resolve;
        script.onerror = (event) => this.onerror?.(event);
        inside.document.head.append(script);
      });
    }
    postMessage(data) {
      const copy = structuredClone(data);
      const inside = this.frame.contentWindow;
      this.ready.then(() => {
        inside.dispatchEvent(new inside.MessageEvent("message", { data: copy }));
      });
    }
    terminate() {
      this.frame.remove();
    }
  };
}
