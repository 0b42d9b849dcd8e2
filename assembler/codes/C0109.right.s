    addi f1, f2, ((1))
