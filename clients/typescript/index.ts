import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./schema.js";

export type * from "./schema.js";

/**
 * Calls every operation by its method and path, as in `trull.GET("/v1/hands/{hand_id}", …)`. Whatever is not JSON needs
 * `parseAs`: lines and tables `"text"`, server-sent events `"stream"`.
 */
export type Trull = Client<paths, Json>;

type Json = "application/json" | "application/problem+json";

/** A client of the service at an address, with a key where the service has keys. */
export function createTrull(baseUrl: string, key?: string): Trull {
  return createClient<paths, Json>({ baseUrl, headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } });
}
