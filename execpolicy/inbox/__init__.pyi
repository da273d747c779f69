"""The public names of this package and the modules that they are in."""

from execpolicy.inbox.inbox_reviewer import InboxAsker as InboxAsker
from execpolicy.inbox.inbox_reviewer import InboxReviewer as InboxReviewer
