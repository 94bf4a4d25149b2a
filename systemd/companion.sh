#!/bin/sh
# The program's commands, of the table that runs here as a service: its settings and its games. systemd/install.sh puts
# this in place as /usr/local/bin/companion. With sudo, for the settings may hold codes; what root brings back or
# calibrates is then the service's own.
export STATE_DIRECTORY=/var/lib/companion CONFIGURATION_DIRECTORY=/etc/companion
status=0
/opt/companion/venv/bin/companion "$@" || status=$?
if [ "$(id -u)" = 0 ] && [ -d "$STATE_DIRECTORY" ]; then chown -R companion:companion "$STATE_DIRECTORY"; fi
exit "$status"
