// A page without games.

themes();
enliven(document, () => false);
