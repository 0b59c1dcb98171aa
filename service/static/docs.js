// A file of its own, so that the page's content policy can forbid scripts inside the page.

// The document as this page needs it to try calls. Swagger UI fills every field with its example: a first call would
// carry each filter, and a second one the Idempotency-Key of the first. So only fields that have to be filled are,
// and the examples of the others are told. The service may stand behind a path of another one.
function forTrying(document, address) {
  const tell = (parameter) => {
    if (parameter.required || parameter.example === undefined) return;
    parameter.description = `${parameter.description} As in \`${parameter.example}\`.`;
    delete parameter.example;
  };
  Object.values(document.components.parameters).forEach(tell);
  for (const path of Object.values(document.paths)) {
    for (const part of [path, ...Object.values(path)]) (part.parameters ?? []).forEach(tell);
  }
  document.servers = [{ url: new URL(".", address).href.replace(/\/$/, "") }];
  return document;
}

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#document",
  deepLinking: true,
  docExpansion: "list",
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // The default would ask an outside service to judge the document.
  validatorUrl: null,
  plugins: [
    {
      statePlugins: {
        spec: { wrapActions: { updateJsonSpec: (keep) => (document) => keep(forTrying(document, location.href)) } },
      },
    },
  ],
});
