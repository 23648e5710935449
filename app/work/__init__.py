"""What is open and what a person does with it: workspace, history, prices. Nothing here writes a file."""
