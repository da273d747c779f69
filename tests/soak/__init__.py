"""Programs that run for a long time under load: nothing is lost, and neither memory nor descriptors grow."""
