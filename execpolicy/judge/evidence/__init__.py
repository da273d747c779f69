"""What a command is evidently given to run, for the rules that restrict: nothing that is found here helps a grant."""
