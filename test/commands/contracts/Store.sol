// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
contract Store {
    uint256 public value;
    mapping(address => uint256) public paid;
    struct Pair { uint256 a; address who; }
    error TooLarge(uint256 given, uint256 limit);
    event Changed(address indexed by, uint256 value, string note);
    constructor(uint256 start) { value = start; }
    function set(uint256 next, string calldata note) external payable {
        if (next > 1000) revert TooLarge(next, 1000);
        require(next != 13, "no thirteen");
        value = next; paid[msg.sender] += msg.value;
        emit Changed(msg.sender, next, note);
    }
    function pairs() external view returns (Pair[] memory list, bool ok) {
        list = new Pair[](2); list[0] = Pair(1, msg.sender); list[1] = Pair(value, address(this)); ok = true;
    }
    function div(uint256 a, uint256 b) external pure returns (uint256) { return a / b; }
}
