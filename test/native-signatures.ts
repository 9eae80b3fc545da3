/**
 * What all tests of sources begin with. They sign and recover as a node does, by the fastest engine that runs here: in JavaScript alone it took a fourth of their
 * time. What compares engines chooses its own.
 */

import { installRecoverEngine } from "../src/node/signatures/engine.js";
import { recoverEngine } from "../src/protocol/signature.js";

// The test runner keeps a hundred frames of every error: many tests see thousands of errors, and a node keeps ten.
Error.stackTraceLimit = 10;

if (!recoverEngine()) installRecoverEngine();
