"""How far can measured means be trusted? A model of true means, given those of a sample of topics.

A sample spreads systems further apart than they truly are: the best measured system is partly the
best, and partly suits these topics. The model shrinks the differences of means by their
reliability, which it estimates from the scores themselves. Use `shrunken_truth` for the
reliability, the shrunken means and draws of the truth.
"""
