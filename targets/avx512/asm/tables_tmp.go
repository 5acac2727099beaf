package asm

var gprForms []form
var controlForms []form
var moveForms []form
var intForms []form
var shuffleForms []form
var floatForms []form
var convertForms []form
var maskForms []form
