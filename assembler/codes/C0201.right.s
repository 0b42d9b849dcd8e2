    jumpi loop
    nop
loop:
    stopi 0
