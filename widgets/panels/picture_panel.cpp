#include "widgets/panels/picture_panel.h"
