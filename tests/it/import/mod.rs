//! Files of other programs become rows of the book (docs/import.md).

mod broken;
mod desk;
mod emails;
mod faults;
mod forms;
mod law;
mod order;
mod repeated;
mod workbooks;
