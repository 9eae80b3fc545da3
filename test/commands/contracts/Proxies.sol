// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
abstract contract Forwarder {
    function target() internal view virtual returns (address);
    fallback() external payable {
        address to = target();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
contract Proxy is Forwarder {
    bytes32 constant PLACE = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
    constructor(address logic) { bytes32 place = PLACE; assembly { sstore(place, logic) } }
    function target() internal view override returns (address to) { bytes32 place = PLACE; assembly { to := sload(place) } }
}
contract Beacon {
    address public implementation;
    constructor(address logic) { implementation = logic; }
}
contract BeaconProxy is Forwarder {
    bytes32 constant PLACE = bytes32(uint256(keccak256("eip1967.proxy.beacon")) - 1);
    constructor(address beacon) { bytes32 place = PLACE; assembly { sstore(place, beacon) } }
    function target() internal view override returns (address) {
        address beacon; bytes32 place = PLACE; assembly { beacon := sload(place) }
        return Beacon(beacon).implementation();
    }
}
