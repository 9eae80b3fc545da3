// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import "./Token.sol";

/// An automated market of two tokens: the product of its reserves never falls. 0.3 % of what comes in stays.
contract Market {
    Token public immutable first;
    Token public immutable second;

    uint112 private _firstReserve;
    uint112 private _secondReserve;
    uint32 private _lastTime;
    uint256 public firstPriceSum;
    uint256 public secondPriceSum;
    uint256 private _locked = 1;

    event Swap(address indexed sender, uint256 firstIn, uint256 secondIn, uint256 firstOut, uint256 secondOut);
    event Sync(uint112 firstReserve, uint112 secondReserve);

    modifier lock() {
        require(_locked == 1, "locked");
        _locked = 2;
        _;
        _locked = 1;
    }

    constructor(uint256 supply) {
        first = new Token("First", address(this), supply);
        second = new Token("Second", address(this), supply);
        first.transfer(msg.sender, supply / 2);
        second.transfer(msg.sender, supply / 2);
        _firstReserve = uint112(supply / 2);
        _secondReserve = uint112(supply / 2);
        _lastTime = uint32(block.timestamp);
    }

    /// Takes `amountIn` of one token from the sender and pays the other one out.
    function swap(uint256 amountIn, bool firstIn, uint256 leastOut) external lock returns (uint256 amountOut) {
        (uint256 reserveIn, uint256 reserveOut) =
            firstIn ? (_firstReserve, _secondReserve) : (_secondReserve, _firstReserve);
        uint256 afterFee = amountIn * 997;
        amountOut = (afterFee * reserveOut) / (reserveIn * 1000 + afterFee);
        require(amountOut >= leastOut, "too little");
        require((firstIn ? first : second).transferFrom(msg.sender, address(this), amountIn), "in");
        require((firstIn ? second : first).transfer(msg.sender, amountOut), "out");
        uint256 firstBalance = first.balanceOf(address(this));
        uint256 secondBalance = second.balanceOf(address(this));
        uint256 firstAdjusted = firstBalance * 1000 - (firstIn ? amountIn * 3 : 0);
        uint256 secondAdjusted = secondBalance * 1000 - (firstIn ? 0 : amountIn * 3);
        require(firstAdjusted * secondAdjusted >= uint256(_firstReserve) * _secondReserve * 1_000_000, "product");
        _update(firstBalance, secondBalance);
        if (firstIn) emit Swap(msg.sender, amountIn, 0, 0, amountOut);
        else emit Swap(msg.sender, 0, amountIn, amountOut, 0);
    }

    function _update(uint256 firstBalance, uint256 secondBalance) private {
        require(firstBalance <= type(uint112).max && secondBalance <= type(uint112).max, "overflow");
        uint32 time = uint32(block.timestamp);
        unchecked {
            uint32 elapsed = time - _lastTime;
            if (elapsed > 0) {
                firstPriceSum += ((uint256(_secondReserve) << 112) / _firstReserve) * elapsed;
                secondPriceSum += ((uint256(_firstReserve) << 112) / _secondReserve) * elapsed;
            }
        }
        _firstReserve = uint112(firstBalance);
        _secondReserve = uint112(secondBalance);
        _lastTime = time;
        emit Sync(uint112(firstBalance), uint112(secondBalance));
    }
}
