# FerretDB with DocumentDB in place of the image mongo, with its user's number. PostgreSQL runs as the user of that name,
# which therefore gets the number 999; Debian has given it to another group.
FROM guias/stand-in-documentdb
RUN groupmod --non-unique --gid 999 postgres && usermod --uid 999 --gid 999 postgres \
  && mv /docdb/template/data /template && chown -R postgres:postgres /template \
  && install -d -o postgres -g postgres /data/db /data/configdb
COPY --chmod=755 mongo-entrypoint.sh /usr/local/bin/entrypoint.sh
USER 999:999
ENTRYPOINT ["entrypoint.sh"]
