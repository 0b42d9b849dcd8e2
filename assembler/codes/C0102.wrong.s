    addi f1, f2, 0b12
