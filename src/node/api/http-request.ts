/** A request as handlers see it, whoever has read it. */

import type { IncomingMessage } from "node:http";
import type { PlainRequest } from "./plain-request.js";

export type HttpRequest = IncomingMessage | PlainRequest;
