/** All transaction types executed without the contract machine, by contract type. */

import type { ContractName } from "../../protocol/contract-types.js";
import { accountPermissionUpdate } from "./account-permission-update.js";
import { accountCreate, accountUpdate, setAccountId } from "./accounts.js";
import { assetIssue, participateAssetIssue, transferAsset, unfreezeAsset, updateAsset } from "./assets.js";
import { type ContractModule, plain } from "./contract.js";
import { clearAbi, updateEnergyLimit, updateSetting } from "./contract-settings.js";
import { delegateResource, undelegateResource } from "./delegation.js";
import { exchangeCreate, exchangeInject, exchangeTransaction, exchangeWithdraw } from "./exchange.js";
import { freezeBalance, unfreezeBalance } from "./first-staking.js";
import { marketCancelOrder, marketSellAsset } from "./market.js";
import { proposalApprove, proposalCreate, proposalDelete } from "./proposals.js";
import { shieldedTransfer } from "./shielded-transfer.js";
import {
	cancelAllUnfreezeV2,
	freezeBalanceV2,
	unfreezeBalanceV2,
	withdrawExpireUnfreeze,
} from "./staking.js";
import { transfer } from "./transfer.js";
import { updateBrokerage, voteWitness, withdrawBalance, witnessCreate, witnessUpdate } from "./witnesses.js";

const modules: readonly ContractModule[] = [
	accountCreate,
	transfer,
	accountUpdate,
	proposalCreate,
	proposalApprove,
	proposalDelete,
	setAccountId,
	shieldedTransfer,
	accountPermissionUpdate,
	voteWitness,
	witnessCreate,
	witnessUpdate,
	freezeBalance,
	unfreezeBalance,
	withdrawBalance,
	updateBrokerage,
	freezeBalanceV2,
	unfreezeBalanceV2,
	withdrawExpireUnfreeze,
	delegateResource,
	undelegateResource,
	cancelAllUnfreezeV2,
	assetIssue,
	transferAsset,
	participateAssetIssue,
	unfreezeAsset,
	updateAsset,
	exchangeCreate,
	exchangeInject,
	exchangeWithdraw,
	exchangeTransaction,
	marketSellAsset,
	marketCancelOrder,
	updateSetting,
	updateEnergyLimit,
	clearAbi,
];

const byType: ReadonlyMap<ContractName, ContractModule> = new Map(
	modules.map((module) => [module.type, module]),
);

/** The module of a contract type; undefined if this node doesn't execute it. */
export function contractModule(typeName: ContractName): ContractModule | undefined {
	return byType.get(typeName);
}

/** Error message for a contract of this type with a parameter of another message type. */
export function parameterTypeRefusal(type: ContractName): string {
	return (byType.get(type)?.parameterRefusal ?? plain)(type);
}
