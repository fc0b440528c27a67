"""The private model of a whole table: noisy counts of columns and of pairs, and weighted records
that are calibrated to them.

Everything is done under one budget, over all the records of the learner. In the order in which the
files build on one another:

    measurement     shares of the budget, and noisy tables
    fit             weighted records, fitted to noisy tables
    networks        networks that records are drawn from: of noisy pairs, of weighted records
    selection       which pairs a round measures, and what it leaves for columns
    usual_tables    the error to be expected of a usual table, if pairs are asked about and if not
    questions       what is asked of the records, and what each question costs
    learner         the questions asked, and the model made of the answers
    expected        the error to be expected, before anything is spent
"""
