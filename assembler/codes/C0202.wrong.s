a:  nop
a:  nop
