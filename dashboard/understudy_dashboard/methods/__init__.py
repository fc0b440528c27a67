"""What pages draw of methods: of any by its fields, and a folder for each that has more to show."""
