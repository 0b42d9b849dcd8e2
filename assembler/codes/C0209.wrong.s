    addi f1, f2, log2(0)
