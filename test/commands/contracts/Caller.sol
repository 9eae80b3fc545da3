// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
interface Storing { function set(uint256 next, string calldata note) external payable; function value() external view returns (uint256); }
contract Caller {
    event Tried(bool fine);
    function both(Storing store) external payable returns (uint256 found) {
        store.set{value: msg.value}(7, "seven");
        try store.set(13, "no") { emit Tried(true); } catch { emit Tried(false); }
        found = store.value() + uint256(sha256("x")) % 1 + made();
    }
    function made() internal returns (uint256) { return address(new Small()).code.length > 0 ? 0 : 1; }
}
contract Small { uint256 public kept = 1; }
