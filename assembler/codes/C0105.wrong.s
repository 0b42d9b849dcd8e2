    if(cc3) |
