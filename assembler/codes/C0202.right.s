a:  nop
b:  nop
