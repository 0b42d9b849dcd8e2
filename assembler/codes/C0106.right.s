    if(cc3) nop | psprmsgn f0, f2, 0, 1, 2, 3
