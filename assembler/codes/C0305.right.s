    addi f1, f2, 2047
