// A file of its own, so that the page's content policy can forbid scripts inside the page.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#document",
  deepLinking: true,
  docExpansion: "list",
  displayRequestDuration: true,
  // The default would ask an outside service to judge the document.
  validatorUrl: null,
});
