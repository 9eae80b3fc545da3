/** Arguments of commands. Left alone the framework reads a missing one from standard input, which is the commands' to read. */

import { Args } from "@oclif/core";

export const required = (description: string) =>
	Args.string({ description, required: true, ignoreStdin: true });

export const optional = (description: string) => Args.string({ description, ignoreStdin: true });

/** Commands about one contract. */
export const contractArgument = { address: required("the contract") };
