"""Rankings of systems compared: under other measures, on several collections, and under other judgments."""
