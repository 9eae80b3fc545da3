/** AccountPermissionUpdateContract (protocol/permissions §2.4): replaces all permissions of an account. */

import { isAddress } from "../../protocol/address.js";
import { toKey } from "../../protocol/bytes.js";
import { checkedAdd } from "../../protocol/int64.js";
import {
	Account,
	type AccountPermissionUpdateContract,
	Permission,
	PermissionPermissionType,
	PermissionPermissionTypeEnum,
} from "../../protocol/messages.js";
import {
	FIRST_ACTIVE_PERMISSION,
	maskAllows,
	OPERATIONS_LENGTH,
	OWNER_PERMISSION,
	WITNESS_PERMISSION,
} from "../../protocol/permission.js";
import { adjustBalance, sinkFee } from "../resources/balance.js";
import { ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { validateArithmetic } from "./arithmetic.js";
import { defineContract } from "./contract.js";

const MAX_ACTIVE_PERMISSIONS = 8;
const MAX_NAME_LENGTH = 32;

export const accountPermissionUpdate = defineContract<AccountPermissionUpdateContract>({
	type: "AccountPermissionUpdateContract",

	gate({ state }) {
		if (!state.properties.on("ALLOW_MULTI_SIGN")) {
			throw new ContractValidateError("multi sign is not allowed, need to be opened by the committee");
		}
	},

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("invalidate ownerAddress");
		const account = state.account.get(contract.owner_address);
		if (!account) throw new ContractValidateError("ownerAddress account does not exist");
		const { owner, witness, actives } = contract;
		if (!owner) throw new ContractValidateError("owner permission is missed");
		if (account.is_witness && !witness) throw new ContractValidateError("witness permission is missed");
		if (!account.is_witness && witness) {
			throw new ContractValidateError("account isn't witness can't set witness permission");
		}
		if (actives.length === 0) throw new ContractValidateError("active permission is missed");
		if (actives.length > MAX_ACTIVE_PERMISSIONS) {
			throw new ContractValidateError("active permission is too many");
		}
		if (owner.type !== PermissionPermissionType.Owner) {
			throw new ContractValidateError("owner permission type is error");
		}
		checkPermission(state, owner);
		if (witness) {
			if (witness.type !== PermissionPermissionType.Witness) {
				throw new ContractValidateError("witness permission type is error");
			}
			checkPermission(state, witness);
		}
		for (const active of actives) {
			if (active.type !== PermissionPermissionType.Active) {
				throw new ContractValidateError("active permission type is error");
			}
			checkPermission(state, active);
		}
	},

	execute({ state, rules, contract }, result) {
		const fee = state.properties.get("UPDATE_ACCOUNT_PERMISSION_FEE");
		const account = Account.copy(state.account.get(contract.owner_address) as Readonly<Account>);
		account.owner_permission = withId(contract.owner as Readonly<Permission>, OWNER_PERMISSION);
		if (account.is_witness) {
			account.witness_permission = withId(contract.witness as Readonly<Permission>, WITNESS_PERMISSION);
		}
		account.active_permission = contract.actives.map((active, i) =>
			withId(active, FIRST_ACTIVE_PERMISSION + i),
		);
		state.account.put(contract.owner_address, account);
		adjustBalance(state, contract.owner_address, -fee);
		sinkFee(state, rules, fee);
		result.fee = fee;
	},
});

function withId(permission: Readonly<Permission>, id: number): Permission {
	const copy = Permission.copy(permission);
	copy.id = id;
	return copy;
}

function checkPermission(state: StateView, permission: Readonly<Permission>): void {
	const { keys, type, operations } = permission;
	const typeName = PermissionPermissionTypeEnum.names.get(type) as string;
	const limit = state.properties.get("TOTAL_SIGN_NUM");
	if (keys.length > limit) {
		throw new ContractValidateError(`number of keys in permission should not be greater than ${limit}`);
	}
	if (keys.length === 0) throw new ContractValidateError("key's count should be greater than 0");
	if (type === PermissionPermissionType.Witness && keys.length !== 1) {
		throw new ContractValidateError("Witness permission's key count should be 1");
	}
	if (permission.threshold <= 0n) {
		throw new ContractValidateError("permission's threshold should be greater than 0");
	}
	if (permission.permission_name.length > MAX_NAME_LENGTH) {
		throw new ContractValidateError("permission's name is too long");
	}
	if (permission.parent_id !== OWNER_PERMISSION) {
		throw new ContractValidateError("permission's parent should be owner");
	}
	if (new Set(keys.map((key) => toKey(key.address))).size !== keys.length) {
		throw new ContractValidateError(`address should be distinct in permission ${typeName}`);
	}
	let weight = 0n;
	for (const key of keys) {
		if (!isAddress(key.address)) throw new ContractValidateError("key is not a validate address");
		if (key.weight <= 0n) throw new ContractValidateError("key's weight should be greater than 0");
		weight = validateArithmetic(() => checkedAdd(weight, key.weight));
	}
	if (weight < permission.threshold) {
		throw new ContractValidateError(
			`sum of all key's weight should not be less than threshold in permission ${typeName}`,
		);
	}
	if (type !== PermissionPermissionType.Active) {
		if (operations.length > 0) throw new ContractValidateError(`${typeName} permission needn't operations`);
		return;
	}
	if (operations.length !== OPERATIONS_LENGTH) throw new ContractValidateError("operations size must 32");
	const available = state.properties.get("AVAILABLE_CONTRACT_TYPE");
	for (let id = 0; id < OPERATIONS_LENGTH * 8; id++) {
		if (maskAllows(operations, id) && !maskAllows(available, id)) {
			throw new ContractValidateError(`${id} isn't a validate ContractType`);
		}
	}
}
